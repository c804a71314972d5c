export default {
  testMatch: ['<rootDir>/build/__tests__/**/*.test.js'],
  transform: {},
  testTimeout: 120_000,
  maxWorkers: 2,
};
