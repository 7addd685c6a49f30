package chat.bench.streams;

import com.rabbitmq.stream.ConsumerFlowStrategy;

/** Represents a way to read streams, written as {@code amqp:CREDIT} or {@code stream:FLOW:CREDITS[:crc]}. */
sealed interface Way {

    /** Over AMQP, as the platform does. */
    record Amqp(int credit) implements Way {
        @Override
        public String toString() {
            return "amqp:" + credit;
        }
    }

    /**
     * Over the stream protocol.
     *
     * @param credits maximum number of chunks in flight to a reader
     * @param checksum whether the client computes the CRC-32 of each chunk
     */
    record StreamProtocol(Flow flow, int credits, boolean checksum) implements Way {
        ConsumerFlowStrategy strategy() {
            return switch (flow) {
                case ARRIVAL -> ConsumerFlowStrategy.creditOnChunkArrival(credits);
                case HALF -> ConsumerFlowStrategy.creditWhenHalfMessagesProcessed(credits);
                case NTH -> ConsumerFlowStrategy.creditEveryNthChunk(credits, Math.max(1, credits / 2));
            };
        }

        @Override
        public String toString() {
            return "stream:" + flow.name().toLowerCase(java.util.Locale.ROOT) + ":" + credits
                    + (checksum ? ":crc" : "");
        }
    }

    /** When a reader of the stream protocol grants further credits. */
    enum Flow {
        /** For each chunk as it arrives. */
        ARRIVAL,
        /** For each chunk when half of its messages have been processed. */
        HALF,
        /** For several chunks together: half of the credits. */
        NTH
    }

    /** @throws IllegalArgumentException if the text is not a way */
    static Way parse(String text) {
        String[] words = text.split(":", -1);
        if (words.length == 2 && words[0].equals("amqp")) return new Amqp(Integer.parseInt(words[1]));
        boolean checksum = words.length == 4 && words[3].equals("crc");
        if (words[0].equals("stream") && (words.length == 3 || checksum)) {
            Flow flow = Flow.valueOf(words[1].toUpperCase(java.util.Locale.ROOT));
            return new StreamProtocol(flow, Integer.parseInt(words[2]), checksum);
        }
        throw new IllegalArgumentException(
                "a way must be amqp:CREDIT or stream:arrival|half|nth:CREDITS[:crc], with at least 2 credits for nth, not "
                        + text);
    }
}
