module.exports = { testMatch: [`${__dirname}/*.test.cjs`], transform: {} };
