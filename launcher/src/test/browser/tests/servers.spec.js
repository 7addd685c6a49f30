import { Cluster, jar } from '../support/cluster.js';
import { expect, test } from '../support/guest.js';
import { isWithout } from '../support/platform.js';

test.describe('two servers', () => {
  const cluster = new Cluster();

  test.skip(!jar, 'CONFAB_JAR names no program');
  test.skip(isWithout('rabbitmq'), 'RabbitMQ is not installed');

  test.beforeAll(async () => {
    await cluster.start();
  });

  test.afterAll(async () => {
    await cluster.stop();
  });

  test('two people at two servers talk, and see each other', async ({ guest, room }) => {
    const alice = await guest('alice');
    const bob = await guest('bob');
    await alice.enter(room, cluster.url(1));
    await bob.enter(room, cluster.url(2));
    await expect(alice.people).toHaveText(['alice', 'bob']);
    await expect(bob.people).toHaveText(['bob', 'alice']);
    await alice.say('Over there?');
    await bob.say('Over here');
    await alice.say('So it is');
    for (const reader of [alice, bob]) await expect(reader.words).toHaveText(['Over there?', 'Over here', 'So it is']);
    await expect(alice.row('So it is')).toHaveAttribute('data-stored', 'true');
  });

  test('a server is killed while somebody types: nothing typed, said or missed is lost', async ({ guest, room }) => {
    const alice = await guest('alice');
    const bob = await guest('bob');
    await alice.enter(room, cluster.url(1));
    await bob.enter(room, cluster.url(2));
    await alice.say('Before');
    await expect(bob.words).toHaveText(['Before']);
    await alice.message.pressSequentially('Half a sen');

    await cluster.kill(1);
    await expect(alice.page.locator('#banner')).toBeVisible();
    await bob.say('Are you there?');
    await alice.message.pressSequentially('tence');
    await alice.message.press('Enter');
    await expect(alice.row('Half a sentence')).toHaveAttribute('data-status', 'sending');
    await expect(alice.page.locator('#banner-text')).toContainText('1 message waits');
    await alice.message.pressSequentially('And the next o');

    await expect(alice.row('Half a sentence')).toHaveAttribute('data-status', 'accepted', { timeout: 60_000 });
    await alice.isJoined();
    await expect(alice.page.locator('#banner')).toBeHidden();
    await expect(alice.message).toHaveValue('And the next o');
    const talk = ['Before', 'Are you there?', 'Half a sentence'];
    for (const reader of [alice, bob]) await expect(reader.words).toHaveText(talk);
    await expect(alice.page.getByText('could not be recovered')).toHaveCount(0);
  });
});
