/** Measures the load client itself against a server that only fans out. */
@NullMarked
package chat.load.lab.self;

import org.jspecify.annotations.NullMarked;
