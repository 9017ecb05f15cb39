import { expect, it } from 'vitest';
import { connect } from './support.ts';

it('asks for a token once its first call is refused for having none', async () => {
  const { organization } = await connect().organization.createOrganization('Megasoft');
  expect(organization).toMatchObject({ displayName: 'Megasoft' });
});
