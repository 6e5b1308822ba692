/** A text without line breaks, and without characters that steer a terminal or turn its direction: `?` in their place. */
export function plainLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '?').trim();
}

/** Control characters but the line break and the tab, and marks that turn the direction of the text around them. */
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A text of several lines that may quote what others wrote: what would steer a terminal is shown as `?`. */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(STEERING, '?');
}

/** JSON that says the same to a program and nothing to a terminal: `JSON.stringify` itself escapes only U+0000 to U+001F. */
export function harmlessJson(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
