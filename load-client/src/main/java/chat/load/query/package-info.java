/** Queries over REST: a catalogue, asking under load, checking every answer, and the figures. */
@NullMarked
package chat.load.query;

import org.jspecify.annotations.NullMarked;
