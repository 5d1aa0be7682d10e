/// The type of a parameter that programs written for Identity Platform pass as nil. It has no value.
public enum AuthUIDelegate: Sendable {}
