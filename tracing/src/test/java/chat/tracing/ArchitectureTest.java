package chat.tracing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.tracing", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule whatPartsOfProgramsSeeIsPlain = noClasses()
            .that()
            .haveSimpleName("Traces")
            .or()
            .haveSimpleName("Step")
            .or()
            .haveSimpleName("TracedMessage")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.opentelemetry..", "org.springframework..", "io.micrometer..");
}
