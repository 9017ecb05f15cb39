import { scalekit } from '../lib/scalekit';
import { getSession } from '../lib/session';

export default async function Home() {
  const { user, organizationId } = await getSession();
  if (!user) return <a href="/login">Sign in</a>;

  const { organization } = await scalekit().organization.getOrganization(organizationId);
  return (
    <>
      <p>
        Signed in as {user.email} of {organization.displayName}.
      </p>
      <a href="/logout">Sign out</a>
    </>
  );
}
