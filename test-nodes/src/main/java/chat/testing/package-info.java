/** What tests of several modules share: tables of hostile input, and an eye on the log. */
@NullMarked
package chat.testing;

import org.jspecify.annotations.NullMarked;
