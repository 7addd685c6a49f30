/** The verdict: compares messages sent, accepted, received and stored, id by id. */
@NullMarked
package chat.load.check;

import org.jspecify.annotations.NullMarked;
