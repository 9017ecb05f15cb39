import { codePage } from './code-page.ts';
import { consentPage } from './consent-page.ts';
import { invitationPage } from './invitation-page.ts';
import { linkPage } from './link-page.ts';
import { loginPage } from './login-page.ts';
import { organizationPage } from './organization-page.ts';
import { signUp } from './sign-up.ts';

export const loginPageService = {
  ...loginPage,
  ...signUp,
  ...codePage,
  ...linkPage,
  ...organizationPage,
  ...consentPage,
};
export const invitationPageService = invitationPage;
