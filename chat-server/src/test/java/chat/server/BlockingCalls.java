package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/** Blocking calls on threads that must not block: the event loops of every server of these tests. */
final class BlockingCalls {
    private static final List<BlockingOperationError> found = new CopyOnWriteArrayList<>();

    static {
        BlockHound.builder()
                .loadIntegrations()
                // Loading a class reads its jar, once.
                .allowBlockingCallsInside(ClassLoader.class.getName(), "loadClass")
                // Jackson makes each reader of a type once, under a lock.
                .allowBlockingCallsInside(
                        "tools.jackson.databind.deser.DeserializerCache", "_createAndCacheValueDeserializer")
                // Netty's allocator grows under a lock, a few times at the start.
                .allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator", "allocate")
                .blockingMethodCallback(method -> {
                    BlockingOperationError error = new BlockingOperationError(method);
                    found.add(error);
                    throw error;
                })
                .install();
    }

    private BlockingCalls() {}

    /** From now on every one is noted. */
    static void watch() {
        // Loading this class does it.
    }

    /** Reports each finding once, not again in every later test. */
    static void assertNone() {
        List<BlockingOperationError> told = List.copyOf(found);
        found.removeAll(told);
        // AssertJ would cut the traces, and where it was called is what one wants to know.
        assertThat(told.stream().map(BlockingCalls::trace).toList()).isEmpty();
    }

    private static String trace(BlockingOperationError error) {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    static void forget() {
        found.clear();
    }
}
