import { describeRows } from './rows.fixture.ts';

describeRows('1.36', 'find and findAll', [
  ['"abc 123".find("[0-9]+")', '"123"', 2],
  ['"abc".find("x")', '""', 1],
  ['"abc".find("")', '""', 0],
  ['obj.text.find("[c-e]+")', '"cde"', 6],
  ['obj.text.find(obj.broken)', '!invalid_regex', 6],
  ['"aab".findAll("a")', '["a", "a"]', 1],
  ['"aab".findAll("a*")', '["aa", ""]', 1],
  ['"aab".findAll("a", 1)', '["a"]', 1],
  ['"aab".findAll("a", 0)', '[]', 1],
  ['"😀a".findAll("")', '["", "", ""]', 0],
  ['obj.text.findAll("[a-c]", 2)', '["a", "b"]', 6],
  ['obj.text.findAll(obj.broken)', '!invalid_regex', 6],
]);
