package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Buffers that were collected before they were released, as Netty finds out when it makes others. */
final class LeakedBuffers {
    private static final List<String> found = new CopyOnWriteArrayList<>();

    static {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ResourceLeakDetectorFactory() {
            @Override
            @SuppressWarnings("deprecation") // still abstract
            public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                    Class<T> resource, int samplingInterval, long maxActive) {
                return newResourceLeakDetector(resource, samplingInterval);
            }

            @Override
            public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
                return new Detector<>(resource, samplingInterval);
            }
        });
    }

    private static final class Detector<T> extends ResourceLeakDetector<T> {
        private Detector(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected void reportTracedLeak(String resource, String records) {
            found.add(resource + records);
        }

        @Override
        protected void reportUntracedLeak(String resource) {
            found.add(resource);
        }
    }

    private LeakedBuffers() {}

    /** From now on every one is noted; before Netty makes its first. */
    static void watch() {
        // Loading this class does it.
    }

    /** Reports each finding once, not again in every later test. */
    static void assertNone() {
        List<String> told = List.copyOf(found);
        found.removeAll(told);
        assertThat(told).isEmpty();
    }
}
