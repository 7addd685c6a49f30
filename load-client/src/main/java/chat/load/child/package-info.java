/** Child processes: this load client itself, platforms and peers, none of which outlives the one who started it. */
@NullMarked
package chat.load.child;

import org.jspecify.annotations.NullMarked;
