import { notFound, Refusal } from '../answers.js';
import { type BareRepository, NOTHING, type Ref } from '../git/repository.js';
import { nodeId, placesOf, type World } from '../world.js';
import { type Call, fieldsOf, REPOSITORY, type Route } from './route.js';

const LONGEST_NAME = 255;

export const refRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/git/matching-refs/*prefix`,
    needs: 'contents=read',
    needsHistory: true,
    async act({ world, params: { prefix = '' } }) {
      const from = `refs/${prefix}`;
      const refs = world.lag.shown(await world.git.list(from), from);
      return { status: 200, body: await Promise.all(refs.map((ref) => refShape(world, ref))) };
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/git/ref/*ref`,
    needs: 'contents=read',
    needsHistory: true,
    async act({ world, params: { ref: name = '' } }) {
      const ref = await world.git.ref(`refs/${name}`);
      if (!ref) throw notFound();
      return { status: 200, body: await refShape(world, ref) };
    },
  },
  {
    method: 'POST',
    path: `${REPOSITORY}/git/refs`,
    needs: 'contents=write',
    needsHistory: true,
    act: createRef,
  },
  {
    method: 'PATCH',
    path: `${REPOSITORY}/git/refs/*ref`,
    needs: 'contents=write',
    needsHistory: true,
    act: updateRef,
  },
  {
    method: 'DELETE',
    path: `${REPOSITORY}/git/refs/*ref`,
    needs: 'contents=write',
    needsHistory: true,
    async act({ world, params: { ref = '' } }) {
      await change(world.git, `refs/${ref}`, (name, from) => world.git.change({ name, from, to: NOTHING }));
      return { status: 204 };
    },
  },
];

async function createRef({ world, body }: Call) {
  const { ref: name, sha: given } = fieldsOf(body);
  if (typeof name !== 'string') throw new Refusal(422, 'Invalid request.\n\n"ref" wasn\'t supplied.');
  const sha = shaOf(given);
  if (!name.startsWith('refs/')) throw new Refusal(422, "Reference name must start with 'refs/'.");
  if (!/^refs\/[^/]+\/[^/]/.test(name)) {
    throw new Refusal(422, 'Reference name must contain at least three slash-separated components.');
  }
  if (Buffer.byteLength(name) > LONGEST_NAME) throw illFormed(name);
  switch (await world.git.create(name, sha)) {
    case 'created': {
      const shape = await refShape(world, { name, sha });
      return { status: 201, body: shape, headers: { location: shape.url } };
    }
    case 'exists':
      throw new Refusal(422, 'Reference already exists');
    case 'no-object':
      throw new Refusal(422, 'Object does not exist');
    case 'ill-formed':
      throw illFormed(name);
    case 'refused':
      throw new Refusal(422, 'Reference update failed');
  }
}

async function updateRef({ world, params: { ref = '' }, body }: Call) {
  const { sha: given, force } = fieldsOf(body);
  const { git } = world;
  const sha = shaOf(given);
  if (!(await git.typeOf(sha))) throw new Refusal(422, 'Object does not exist');
  await change(git, `refs/${ref}`, async (name, from) => {
    // Only branches are protected from going back.
    const checked = name.startsWith('refs/heads/') && force !== true;
    if (checked && !(await git.isAncestor(from, sha))) throw new Refusal(422, 'Update is not a fast forward');
    return git.change({ name, from, to: sha });
  });
  return { status: 200, body: await refShape(world, { name: `refs/${ref}`, sha }) };
}

/** Changes a ref whatever its value, as GitHub does; git wants to know the value, which may just have changed. */
async function change(
  git: BareRepository,
  name: string,
  act: (name: string, from: string) => Promise<boolean>,
): Promise<void> {
  let failedFrom: string | undefined;
  for (;;) {
    const ref = await git.ref(name);
    if (!ref) throw new Refusal(422, 'Reference does not exist');
    // It failed and not because of somebody else: git refuses.
    if (ref.sha === failedFrom) throw new Refusal(422, 'Reference update failed');
    if (await act(name, ref.sha)) return;
    failedFrom = ref.sha;
  }
}

async function refShape(world: World, { name, sha }: Ref) {
  const base = `${placesOf(world).api}/git`;
  const type = (await world.git.typeOf(sha)) ?? 'commit';
  return {
    ref: name,
    node_id: nodeId('Ref', `${world.repository}:${name}`),
    url: `${base}/${encodeURI(name)}`,
    object: { sha, type, url: `${base}/${type}s/${sha}` },
  };
}

function shaOf(given: unknown): string {
  if (typeof given === 'string' && /^[0-9a-f]{40}$/.test(given)) return given;
  throw new Refusal(422, 'The sha parameter must be exactly 40 characters and contain only [0-9a-f].');
}

function illFormed(name: string): Refusal {
  return new Refusal(422, `${name} is not a valid ref name.`);
}
