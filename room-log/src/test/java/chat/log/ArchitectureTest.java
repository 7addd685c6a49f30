package chat.log;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.log", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule coreHasNoFrameworks = classes()
            .that()
            .resideInAPackage("chat.log")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("chat.log", "chat.protocol", "java..", "org.jspecify..", "org.slf4j"));

    @ArchTest
    static final ArchRule onlyRabbitPackagesUseRabbit = noClasses()
            .that(resideInAPackage("chat.log"))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.log.rabbit..", "com.rabbitmq..", "org.springframework..");
}
