import { describeRows } from './rows.fixture.ts';

describeRows('convoy', 'base64', [
  ['base64.encode(b"hi")', '"aGk="', 1],
  ['base64.encode(b"")', '""', 0],
  ['base64.encode(b"\\xff\\xfe\\xfd")', '"//79"', 1],
  ['base64.encode(b"abcdefghijk")', '"YWJjZGVmZ2hpams="', 2],
  ['base64.encode(obj.text)', '!no_such_overload', 4],
  ['base64.decode("aGk=")', 'bytes(6869)', 1],
  ['base64.decode("aGk")', 'bytes(6869)', 1],
  ['base64.decode("aGk=\\n")', 'bytes(6869)', 1],
  ['base64.decode("aGl=")', 'bytes(6869)', 1],
  ['base64.decode("")', 'bytes()', 0],
  ['base64.decode("YWJjZGVmZ2hpams=")', 'bytes(6162636465666768696a6b)', 2],
  ['base64.decode("a")', '!bad_argument', 1],
  ['base64.decode("a=")', '!bad_argument', 1],
  ['base64.decode("aG k")', '!bad_argument', 1],
  ['base64.decode("aGk-")', '!bad_argument', 1],
]);
