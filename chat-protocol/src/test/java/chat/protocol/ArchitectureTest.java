package chat.protocol;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.protocol", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule onlyTheJdkAndJackson = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("chat.protocol..", "java..", "tools.jackson.core..", "org.jspecify..");
}
