package chat.kit.tracing;

/**
 * Which messages are traced: a share of all ids, by a hash of the id alone. So all programs that have the same share trace
 * the same messages, and nothing has to go with a message for that.
 *
 * @param probability 0 to 1
 */
record TraceSample(double probability) {
    TraceSample {
        if (!(probability >= 0 && probability <= 1))
            throw new IllegalArgumentException("probability must be 0 to 1, not " + probability);
    }

    /** The halves of a message's id; a UUIDv7 has its time in the upper one, and two fixed bits in the lower one. */
    boolean includes(long idHigh, long idLow) {
        return (Mix.of(idHigh, idLow) >>> 11) * 0x1.0p-53 < probability;
    }
}
