// Runs a command of mfa-enroll, and asks the user what it needs. With the library Gson:
//   java -cp /usr/share/java/gson.jar Client.java enroll --name phone
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

public class Client {
  /**
   * Runs mfa-enroll. `answer` returns the answer to a need, or null to cancel; `show` gets the lines that need no
   * answer. Returns the last line, which has "result" or "error".
   */
  static JsonObject converse(
      List<String> arguments, Function<JsonObject, String> answer, Consumer<JsonObject> show)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("mfa-enroll"));
    command.addAll(arguments);
    command.add("--json");
    Process tool = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    JsonObject last =
        JsonParser.parseString(
                "{\"error\": \"helperEnded\", \"message\": \"mfa-enroll ended.\", \"hint\": \"Try again.\"}")
            .getAsJsonObject();
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(tool.getInputStream(), StandardCharsets.UTF_8));
        BufferedWriter input =
            new BufferedWriter(new OutputStreamWriter(tool.getOutputStream(), StandardCharsets.UTF_8))) {
      for (String text = lines.readLine(); text != null; text = lines.readLine()) {
        JsonObject line = JsonParser.parseString(text).getAsJsonObject();
        if (line.has("result") || line.has("error")) {
          last = line;
        } else if (line.has("need")) {
          String value = answer.apply(line);
          JsonObject reply = new JsonObject();
          if (value == null) {
            reply.addProperty("cancel", true);
          } else {
            reply.addProperty(line.get("need").getAsString(), value);
          }
          input.write(reply + "\n");
          input.flush();
        } else {
          show.accept(line);
        }
      }
    }
    return last;
  }

  static String ask(JsonObject line) {
    String need = line.get("need").getAsString();
    String question = line.has("text") ? line.get("text").getAsString() : need + ": ";
    if (need.equals("password") || need.equals("ticket")) {
      char[] typed = System.console().readPassword("%s", question);
      return typed == null ? null : new String(typed);
    }
    return System.console().readLine("%s", question);
  }

  static void show(JsonObject line) {
    if (line.has("key")) {
      System.out.printf(
          "Add this key to your app: %s or open %s%n",
          line.get("key").getAsString(), line.get("url").getAsString());
    } else if (line.has("notice")) {
      System.out.println(line.get("notice").getAsString());
    } else if (line.has("rejected")) {
      System.out.println(line.get("message").getAsString() + " " + line.get("hint").getAsString());
    }
  }

  public static void main(String[] arguments) throws IOException {
    JsonObject last = converse(List.of(arguments), Client::ask, Client::show);
    if (last.has("error")) {
      System.err.printf(
          "%s: %s %s%n",
          last.get("error").getAsString(), last.get("message").getAsString(), last.get("hint").getAsString());
      System.exit(1);
    }
    System.out.println("done: " + last.get("result").getAsString());
    if (last.has("recoveryCodes")) {
      for (JsonElement code : last.getAsJsonArray("recoveryCodes")) {
        System.out.println("recovery code: " + code.getAsString());
      }
    }
  }
}
