/** Defines scenarios: rooms, members, messages, ids and pacing, as data and pure functions. */
@NullMarked
package chat.load.plan;

import org.jspecify.annotations.NullMarked;
