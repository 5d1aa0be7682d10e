import Foundation
import MFABase
import MFAImport
import Testing

/// The messages about an import.
@Suite struct ImportTextTests {
  static let reasons: [ImportRefusal.Reason] = [
    .empty, .tooLong(limit: 65536), .nulByte, .carriageReturn, .unreadableSecret,
    .secretTooShort(bytes: 9), .secretTooLong(bytes: 65), .period(seconds: 14), .counterBased,
    .neitherTimeNorCounter, .unknownOption, .repeatedOption(.stepSize, firstLine: 2),
    .unknownType, .missingField, .tooManyFields, .invalidUser, .invalidCounter, .invalidLastCode,
    .invalidLastTime, .noCryptography,
  ]

  static let warnings: [ImportWarning] = [
    .weakSecret(bits: 80), .windowNarrowed(steps: 50), .timeSkew(steps: -960),
    .skewMeasurementDropped, .gracePeriodDropped, .rateLimitDropped(attempts: 3, seconds: 30),
    .reuseWasAllowed, .lastCodeNotFound, .passwordDropped, .weakRecoveryCodes(count: 1),
    .weakRecoveryCodes(count: 5), .unreachableRecoveryCodes(line: 4, count: 2),
    .recoveryCodesDropped(count: 1), .recoveryCodesDropped(count: 2),
  ]

  @Test func everyMessageIsOneLine() {
    let options = GoogleAuthenticatorOption.allCases
    let texts =
      (Self.reasons + options.map { .invalidValue($0) }).map {
        ImportRefusal(line: 7, reason: $0).text
      } + Self.warnings.map(\.text)
    for text in texts {
      #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
      #expect((20...170).contains(text.utf8.count), "\(text)")
      #expect(!text.hasSuffix("."), "\(text)")
    }
  }

  @Test func namesTheLine() {
    #expect(
      ImportRefusal(line: 7, reason: .invalidValue(.stepSize)).text
        == "line 7: STEP_SIZE must be 1 to 60; correct the line")
    #expect(
      ImportRefusal(line: 4, reason: .repeatedOption(.timeBased, firstLine: 2)).text
        == "line 4: TOTP_AUTH was set in line 2; keep one of the two lines")
    #expect(
      ImportRefusal(line: 0, reason: .empty).text == "the file is empty; enrol a new factor")
    #expect(
      ImportWarning.weakRecoveryCodes(count: 5).text
        == "5 recovery codes imported, 26 bits: replace them")
  }

  /// A message never quotes the file, because any text in it may be a secret.
  @Test func quotesNothing() {
    let secret = "ABCDEFGHSECRET"
    let files = [
      secret + "!", GoogleAuthenticatorFileTests.file("\" " + secret),
      GoogleAuthenticatorFileTests.file("\" STEP_SIZE " + secret),
    ]
    for file in files {
      do throws(ImportRefusal) {
        _ = try GoogleAuthenticatorFileTests.parse(file)
        Issue.record("an invalid file was imported")
      } catch {
        #expect(!error.text.contains(secret))
      }
    }
  }
}

/// Returns the bytes of a secret, for comparisons.
func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.withSpan { span in
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return bytes
  }
}

extension ImportableFactor {
  /// The bytes of the key.
  var key: [UInt8] { secret.withSpan { span in span.indices.map { span[$0] } } }
}

extension ImportableRecoveryCodes {
  /// All codes as text.
  var texts: [String] {
    (0..<count).map { String(decoding: bytes(code(at: $0)), as: UTF8.self) }
  }
}

/// Returns the number of seconds that local time was ahead of UTC when local clocks showed `time`.
func localOffset(of time: LocalTime) -> Int {
  TimeZone.current.secondsFromGMT(
    for: Date(timeIntervalSince1970: Double(time.secondsSinceEpochAsUTC)))
}
