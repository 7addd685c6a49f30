/** The verdict: what was sent, accepted, received and stored, compared id by id. */
@NullMarked
package chat.load.check;

import org.jspecify.annotations.NullMarked;
