/** What the load client itself can do on a machine: it is run against a server that only blasts. */
@NullMarked
package chat.load.self;

import org.jspecify.annotations.NullMarked;
