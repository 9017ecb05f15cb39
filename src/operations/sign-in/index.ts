export { loginPage as loginPageService } from './login-page.ts';
