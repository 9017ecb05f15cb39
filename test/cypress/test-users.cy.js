// The steps that the vendor's guide prints for Cypress: they know an address, a code and these selectors.
const { authorizeUrl, app, newcomer, known, code } = Cypress.env();

function enterAddressAndCode(prompt, email) {
  cy.visit(`${authorizeUrl}&prompt=${prompt}`);
  cy.get('input[name="email"]').type(email);
  cy.contains('button[type="submit"]', 'Continue').click();
  cy.get('[data-scope="pin-input"][data-part="input"]').first().type(code);
  cy.contains('button[type="submit"]', 'Continue').click();
}

const isBackWith = (email) => cy.origin(app, { args: { email } }, ({ email }) => cy.contains('h1', email));

describe('a test user', () => {
  it('signs up, which makes an organization', () => {
    enterAddressAndCode('create', newcomer);
    isBackWith(newcomer);
  });

  it('signs in', () => {
    enterAddressAndCode('login', known);
    isBackWith(known);
  });
});
