/** Queries: what can be asked over REST, as a catalogue; asking it under load, checking every answer, and the figures. */
@NullMarked
package chat.load.query;

import org.jspecify.annotations.NullMarked;
