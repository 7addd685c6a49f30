package chat.kit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.kit", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    /** The load client uses this package without other libraries. */
    @ArchTest
    static final ArchRule metricsNeedOnlyTheJdk = classes()
            .that()
            .resideInAPackage("chat.kit.metrics..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("chat.kit.metrics..", "java..", "org.jspecify..");

    /** The load client signs tokens without Spring; sessions check rights without Spring. */
    @ArchTest
    static final ArchRule identitiesAndSigningNeedNoSpring = classes()
            .that()
            .resideInAPackage("chat.kit.identity")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "chat.kit.identity", "chat.protocol", "java..", "tools.jackson.core..", "org.jspecify..");

    @ArchTest
    static final ArchRule admissionKnowsNoOtherPackage = classes()
            .that()
            .resideInAPackage("chat.kit.admission..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "chat.kit.admission..",
                    "io.github.bucket4j..",
                    "com.github.benmanes.caffeine..",
                    "org.springframework..",
                    "reactor..",
                    "io.netty.handler.codec.http..",
                    "java..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule webKnowsOnlyAdmissionAndTokens = classes()
            .that()
            .resideInAPackage("chat.kit.web..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "chat.kit.web..",
                    "chat.kit.admission..",
                    "chat.kit.identity.token..",
                    "org.springframework..",
                    "org.reactivestreams..",
                    "reactor..",
                    "io.netty..",
                    "java..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule tracedClassesSeeNoTracingLibrary = noClasses()
            .that()
            .haveSimpleName("Traces")
            .or()
            .haveSimpleName("Step")
            .or()
            .haveSimpleName("TracedMessage")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.opentelemetry..", "org.springframework..", "io.micrometer..");

    @ArchTest
    static final ArchRule flightRecorderNeedsNoActuator = noClasses()
            .that()
            .haveSimpleName("FlightRecorder")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot.actuate..", "org.springframework.context..");
}
