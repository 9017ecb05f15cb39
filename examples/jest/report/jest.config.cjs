module.exports = {
  testMatch: [`${__dirname}/*.test.cjs`],
  transform: {},
  testTimeout: 120_000,
  globalSetup: 'understudy-server/global-setup',
};
