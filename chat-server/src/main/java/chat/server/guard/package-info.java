/** The guard: how much the server still can, and when it takes nobody more. */
@NullMarked
package chat.server.guard;

import org.jspecify.annotations.NullMarked;
