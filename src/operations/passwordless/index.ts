export { passwordless as passwordlessService } from './passwordless.ts';
