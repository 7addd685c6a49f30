/** HTTP for both programs: files with validators, methods of known paths, other origins, compression. */
@NullMarked
package chat.kit.web;

import org.jspecify.annotations.NullMarked;
