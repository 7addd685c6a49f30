/** What both programs have on their management port: a flight recording, and 404 for what is not there. */
@NullMarked
package chat.kit.management;

import org.jspecify.annotations.NullMarked;
