/** Queries over REST: a catalogue, asking under load, checking every answer, and the figures. */
@NullMarked
package chat.load.lab.query;

import org.jspecify.annotations.NullMarked;
