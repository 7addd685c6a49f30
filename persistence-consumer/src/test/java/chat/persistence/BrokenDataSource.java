package chat.persistence;

import java.lang.reflect.Proxy;
import javax.sql.DataSource;

/** Gives no connection: asking for one is a fault that is no exception, as where memory has run out. */
public final class BrokenDataSource {
    private BrokenDataSource() {}

    public static DataSource of(Error fault) {
        return (DataSource) Proxy.newProxyInstance(
                BrokenDataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    throw fault;
                });
    }
}
