export { logout as logoutService } from './logout.ts';
