package chat.identity;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.identity", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    /** Whoever signs tokens has no Spring, and what a session is asked must not need any. */
    @ArchTest
    static final ArchRule identitiesAndSigningArePlain = classes()
            .that()
            .resideInAPackage("chat.identity")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("chat.identity", "chat.protocol", "java..", "tools.jackson.core..", "org.jspecify..");
}
