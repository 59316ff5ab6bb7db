import { TEST_BANK_ACCOUNTS, TEST_CARDS } from '@paymount/processor-sandbox';

/** The published names of the sandbox, with their numbers; '' is a token without a number. */
export const SANDBOX_NUMBERS = {
  cards: TEST_CARDS.map(({ name, number = '' }) => [name, number] as const),
  bankAccounts: TEST_BANK_ACCOUNTS.map(({ name, number }) => [name, number] as const),
};
