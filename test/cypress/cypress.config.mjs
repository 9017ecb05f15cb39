// eslint-disable-next-line import/no-default-export -- Cypress reads the default export
export default {
  e2e: { specPattern: 'test-users.cy.js', supportFile: false },
  // The defaults are too short for a busy machine.
  defaultCommandTimeout: 60_000,
  pageLoadTimeout: 120_000,
  video: false,
  screenshotOnRunFailure: false,
};
