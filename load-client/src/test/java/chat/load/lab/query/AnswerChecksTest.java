package chat.load.lab.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** One right answer of each query, and what must be flagged. */
class AnswerChecksTest {
    private static final long FROM = 1_000;
    private static final long TO = 2_000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':1000},{'position':'6','timestamp':1000}],'next':'6'}",
                "Q1 | {'roomId':'7','messages':[],'next':null}",
                "Q1 | {'roomId':'7','messages':[{'position':'5','messageId':'a','timestamp':1000},{'position':'5','messageId':'b','timestamp':1000},{'position':'5','messageId':'c','timestamp':1000}],'next':'5'}",
                "Q1-before | {'roomId':'7','messages':[{'position':'5','timestamp':1},{'position':'6','timestamp':1}],'next':'5'}",
                "Q2 | {'messages':[{'userId':'42','timestamp':1000},{'timestamp':1999}]}",
                "Q3 | {'activeUsers':0}",
                "Q4 | {'rooms':[{'roomId':'7','lastActivity':9},{'roomId':'8','lastActivity':9}]}",
                "per-second | {'buckets':[{'start':1000,'messages':0},{'start':1999,'messages':3}]}",
                "top-users | {'users':[{'userId':'1','messages':3},{'userId':'2','messages':2}]}",
                "top-rooms | {'rooms':[]}",
                "metrics | {'anything':1}"
            })
    void aRightAnswerPasses(String query, String answer) {
        assertThat(faults(query, answer)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Q1 | {'roomId':'8','messages':[],'next':null} | room 8",
                "Q1 | {'roomId':'7','messages':{},'next':null} | no array",
                "Q1 | {'roomId':'7','messages':[{'position':5,'timestamp':1000}],'next':null} | no position",
                "Q1 | {'roomId':'7','messages':[{'position':'5','roomId':'8','timestamp':1000}],'next':null} | a row of room 8",
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':1000},{'position':'5','timestamp':1000}]} | 5 comes after 5",
                "Q1 | {'roomId':'7','messages':[{'position':'5','messageId':'b','timestamp':1000},{'position':'5','messageId':'b','timestamp':1000}]} | 5 comes after 5",
                "Q1 | {'roomId':'7','messages':[{'position':'5','messageId':'b','timestamp':1000},{'position':'5','messageId':'a','timestamp':1000}]} | 5 comes after 5",
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':1000},{'position':'6','timestamp':1000},{'position':'7','timestamp':1000}]} | 3 rows",
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':999}],'next':null} | outside of the range",
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':2000}],'next':null} | outside of the range",
                "Q1 | {'roomId':'7','messages':[{'position':'5'}],'next':null} | no timestamp",
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':1000}],'next':'4'} | the page ends at 5",
                "Q1 | {'roomId':'7','messages':[{'position':'5','timestamp':1000}],'next':7} | no position",
                "Q1 | {'roomId':'7','messages':[],'next':'9'} | empty page",
                "Q1-after | {'roomId':'7','messages':[{'position':'3','timestamp':1}],'next':null} | 3 was not asked for",
                "Q1-before | {'roomId':'7','messages':[{'position':'9','timestamp':1}],'next':null} | 9 was not asked for",
                "Q1-before | {'roomId':'7','messages':[{'position':'5','timestamp':1},{'position':'6','timestamp':1}],'next':'6'} | ends at 5",
                "Q2 | {'messages':[{'userId':'43','timestamp':1000}]} | user 43",
                "Q2 | {'messages':[{'userId':'42','timestamp':1001},{'userId':'42','timestamp':1000}]} | 1000 comes after 1001",
                "Q2 | {'messages':[{'userId':'42','timestamp':2000}]} | outside of the range",
                "Q3 | {'activeUsers':-1} | activeUsers is -1",
                "Q3 | {'activeUsers':'many'} | activeUsers is",
                "Q4 | {'rooms':[{'roomId':'7','lastActivity':8},{'roomId':'8','lastActivity':9}]} | 9 comes after 8",
                "Q4 | {'rooms':[{'roomId':'7','lastActivity':8},{'roomId':'7','lastActivity':8}]} | comes twice",
                "Q4 | {'rooms':[{'roomId':'7'}]} | lacks roomId or lastActivity",
                "per-second | {'buckets':[{'start':1001,'messages':0},{'start':1001,'messages':3}]} | comes after",
                "per-minute | {'buckets':[{'start':2000,'messages':1}]} | was not asked for",
                "per-minute | {'buckets':[{'start':1000,'messages':-1}]} | lacks start or messages",
                "top-users | {'users':[{'userId':'1','messages':2},{'userId':'2','messages':3}]} | 3 comes after 2",
                "top-rooms | {'rooms':[{'roomId':'1','messages':1},{'roomId':'2','messages':1},{'roomId':'3','messages':1}]} | 3 rows",
                "participation | {} | empty"
            })
    void aWrongAnswerIsFlagged(String query, String answer, String words) {
        assertThat(faults(query, answer)).singleElement().asString().contains(words);
    }

    private static List<String> faults(String name, String answer) {
        Query query = Catalogue.named(List.of(name)).getFirst();
        boolean times = query.draws().stream()
                .anyMatch(draw -> draw == Query.Draw.TIMES || draw == Query.Draw.HOUR || draw == Query.Draw.DAY);
        Question asked = new Question(
                query,
                "7",
                "42",
                query.draws().contains(Query.Draw.AFTER) ? Long.valueOf(3) : null,
                query.draws().contains(Query.Draw.BEFORE) ? Long.valueOf(9) : null,
                times ? Instant.ofEpochMilli(FROM) : null,
                times ? Instant.ofEpochMilli(TO) : null,
                2);
        List<String> faults = new ArrayList<>();
        query.check().check(asked, JsonMapper.shared().readTree(answer.replace('\'', '"')), faults::add);
        return faults;
    }
}
