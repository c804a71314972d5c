import type { Account } from '../permissions.js';
import { isBot } from '../state/people.js';
import { idOf, isoTime, nodeId, type World } from '../world.js';

/** What GitHub puts wherever an account is named. */
export function accountShape(world: World, login: string) {
  const name = encodeURIComponent(login);
  const api = `${world.url}/users/${name}`;
  return {
    login,
    id: idOf(login),
    node_id: nodeId('User', login),
    avatar_url: avatarOf(world, login),
    gravatar_id: '',
    url: api,
    html_url: `${world.url}/${name}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: isBot(login) ? 'Bot' : 'User',
    user_view_type: 'public',
    site_admin: false,
  };
}

/** What an account is told of itself. */
export function ownShape(world: World, { login, name }: Account) {
  const unsaid = ['company', 'blog', 'location', 'email', 'hireable', 'bio'];
  const counted = [
    ...['public_repos', 'public_gists', 'followers', 'following', 'private_gists', 'total_private_repos'],
    ...['owned_private_repos', 'disk_usage', 'collaborators'],
  ];
  return {
    ...accountShape(world, login),
    user_view_type: 'private',
    name: name ?? null,
    ...Object.fromEntries(unsaid.map((field) => [field, null])),
    ...Object.fromEntries(counted.map((field) => [field, 0])),
    created_at: isoTime(world.createdAt),
    updated_at: isoTime(world.createdAt),
    two_factor_authentication: true,
  };
}

export function avatarOf(world: World, login: string): string {
  return `${world.url}/avatars/${idOf(login)}`;
}
