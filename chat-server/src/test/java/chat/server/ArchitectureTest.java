package chat.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.springframework.util.unit.DataSize;

@AnalyzeClasses(packages = "chat.server", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule coreIsPlain = noClasses()
            .that()
            .resideInAnyPackage(
                    "chat.server.dedup..", "chat.server.intake..", "chat.server.presence..", "chat.server.room..")
            .should()
            // DataSize is a value, like Duration.
            .dependOnClassesThat(
                    resideInAnyPackage("org.springframework..", "com.rabbitmq..", "io.micrometer..", "reactor.netty..")
                            .and(not(equivalentTo(DataSize.class))));

    @ArchTest
    static final ArchRule admissionKnowsNoSessionAndNoRoom = noClasses()
            .that()
            .resideInAPackage("chat.server.admission..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.server.session..",
                    "chat.server.intake..",
                    "chat.server.presence..",
                    "chat.server.room..",
                    "chat.server.history..",
                    "chat.log..");

    @ArchTest
    static final ArchRule presenceKnowsOnlyTheLog = classes()
            .that()
            .resideInAPackage("chat.server.presence..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "chat.server.presence..", "chat.log", "chat.protocol", "java..", "org.jspecify..", "org.slf4j..");

    @ArchTest
    static final ArchRule dedupKnowsOnlyTheLog = classes()
            .that()
            .resideInAPackage("chat.server.dedup..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("chat.server.dedup..", "chat.log", "chat.protocol", "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule intakeKnowsNoSocket = noClasses()
            .that()
            .resideInAPackage("chat.server.intake..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.server.session..", "chat.server.history..", "io.netty..", "reactor..");

    @ArchTest
    static final ArchRule identityKnowsOnlyFrames = classes()
            .that()
            .resideInAPackage("chat.server.identity..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "chat.server.identity..", "chat.kit.identity", "chat.protocol", "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule roomKnowsOnlyTheLog = noClasses()
            .that()
            .resideInAPackage("chat.server.room..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.server.session..",
                    "chat.server.intake..",
                    "chat.server.admission..",
                    "chat.server.history..",
                    "chat.log.rabbit..");

    @ArchTest
    static final ArchRule historyKnowsOnlyTheRoom = noClasses()
            .that()
            .resideInAPackage("chat.server.history..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.server.session..", "chat.server.intake..", "chat.server.admission..", "chat.log..");

    @ArchTest
    static final ArchRule nobodyKnowsTheWiring = noClasses()
            .that()
            .resideInAPackage("chat.server.*..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("chat.server");

    /** But the port's end, on the thread that stops. */
    @ArchTest
    static final ArchRule nobodyWaitsForAPublisher = noClasses()
            .that()
            .doNotHaveSimpleName("Listener")
            .should()
            .callMethodWhere(JavaCall.Predicates.target(
                            HasOwner.Predicates.With.owner(resideInAPackage("reactor.core.publisher..")))
                    .and(JavaCall.Predicates.target(HasName.Predicates.nameStartingWith("block"))));

    @ArchTest
    static final ArchRule theBrokerIsOnlyForMain = noClasses()
            .that()
            .doNotHaveSimpleName("ChatServerApplication")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.log.rabbit..", "com.rabbitmq..", "org.springframework.amqp..");
}
