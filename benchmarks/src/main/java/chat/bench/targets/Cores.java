package chat.bench.targets;

import chat.bench.platform.LoadResult;

/** Mean number of cores that each kind of process used during one load. */
record Cores(double chat, double rabbitmq, double generator) {
    static Cores of(LoadResult load) {
        return new Cores(load.cores("chat"), load.cores("rabbitmq"), load.cores("generator"));
    }
}
