package chat.kit.tracing;

/**
 * Decides which messages are traced, by a hash of the id. Programs with the same probability trace the same messages,
 * without any data in the message.
 *
 * @param probability 0 to 1
 */
record TraceSample(double probability) {
    TraceSample {
        if (!(probability >= 0 && probability <= 1))
            throw new IllegalArgumentException("probability must be 0 to 1, not " + probability);
    }

    /**
     * Takes the halves of a message's id; in a UUIDv7 the upper half contains the time, the lower half two fixed bits.
     */
    boolean includes(long idHigh, long idLow) {
        return (Mix.of(idHigh, idLow) >>> 11) * 0x1.0p-53 < probability;
    }
}
