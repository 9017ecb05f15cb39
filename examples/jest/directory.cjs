// A small API client that retries after a 429 and fetches a new token after a 401.
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

exports.createDirectory = ({ url, clientId, clientSecret, wait = pause }) => {
  let token;

  const login = async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    return (await response.json()).access_token;
  };

  const get = async (path, tries = 3) => {
    token ??= await login();
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    if (response.ok || tries === 1) return response;
    if (response.status === 401) token = undefined;
    else if (response.status === 429) await wait(Number(response.headers.get('retry-after')));
    else return response;
    return get(path, tries - 1);
  };

  return {
    async organizationNames() {
      const response = await get('/api/v1/organizations?page_size=30');
      if (!response.ok) throw new Error(`the directory answered ${response.status}`);
      return (await response.json()).organizations.map((organization) => organization.display_name);
    },
  };
};
