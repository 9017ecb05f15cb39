module.exports = { testMatch: [`${__dirname}/*.test.cjs`], transform: {}, testTimeout: 120_000 };
