const TEST_KEY = /^[psr]k_test_[0-9A-Za-z]+$/;

/** Whether a text has the form of a key of the test environment. */
export function isTestKey(text: string): boolean {
  return TEST_KEY.test(text);
}
