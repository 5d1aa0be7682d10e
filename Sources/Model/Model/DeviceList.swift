import MFABase
import MFAMessages

/// The devices of a user above a prompt that offers to send codes: all of them, oldest first, with what
/// requests a code for a phone, `s1`, `s2` and so on.
package struct DeviceList {
  /// A device in the list.
  package struct Device {
    fileprivate let name: [UInt8]
    fileprivate let number: [UInt8]?
    fileprivate let isOffered: Bool

    /// Creates a device. A phone has a masked number, and `isOffered` if a code can be sent to it.
    package init(name: [UInt8], number: [UInt8]? = nil, isOffered: Bool = false) {
      self.name = name
      self.number = number
      self.isOffered = isOffered
    }
  }

  private let devices: [Device]

  /// Creates a list of devices, oldest first.
  package init(_ devices: [Device]) { self.devices = devices }

  /// The longest prompt in bytes. A PAM message has at most 512 bytes, including the NUL at its end.
  package static var longestPrompt: Int { 511 }

  /// Returns one line for each device, followed by the prompt. Names are cut if the text would be too long.
  package func text(above prompt: MessageText, in language: Language) -> [UInt8] {
    let newline: [UInt8] = [UInt8(ascii: "\n")]
    var text = SignInMessage.deviceList.text(in: language).utf8 + newline
    let room = (Self.longestPrompt &- text.count &- prompt.utf8.count) / max(devices.count, 1)
    let (separator, blank): (StaticString, StaticString) = (", ", "    ")
    var position = UInt8(ascii: "1")
    for device in devices {
      if device.isOffered {
        text += [UInt8(ascii: "s"), position, UInt8(ascii: ":"), UInt8(ascii: " ")]
        position &+= 1
      } else {
        text += blank.bytes
      }
      let number = device.number.map { separator.bytes + $0 } ?? []
      text += Self.cut(device.name, to: room &- 5 &- number.count) + number + newline
    }
    return text + prompt.utf8
  }

  /// Returns a name truncated to `room` bytes, at a character boundary.
  package static func cut(_ name: [UInt8], to room: Int) -> [UInt8] {
    guard name.count > room else { return name }
    let mark = ("..." as StaticString).bytes
    var end = max(room &- mark.count, 0)
    while end > 0, end < name.count, isContinuation(name[end]) { end &-= 1 }
    return name.span.part(from: 0, count: end).copied() + mark
  }

  /// Returns whether a byte continues a UTF-8 character (RFC 3629, section 3).
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Returns the position, from 0 on, of the phone that an answer requests a code for: `s` for the first one,
  /// or `s` and its number. Returns nil for any other answer.
  package static func position(requestedBy answer: Span<UInt8>) -> Int? {
    var letters = 0
    var number = 0
    for index in answer.indices where answer[index] != UInt8(ascii: " ") {
      let byte = answer[index]
      if letters == 0 {
        guard byte | 0x20 == UInt8(ascii: "s") else { return nil }
        letters = 1
      } else {
        guard number == 0, let digit = byte.decimalDigit, digit >= 1 else { return nil }
        number = Int(digit)
      }
    }
    return letters == 1 ? max(number &- 1, 0) : nil
  }
}
