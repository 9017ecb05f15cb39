from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.connected_accounts.connected_accounts_pb2 import CreateConnectedAccount
from scalekit.v1.events.events_pb2 import EventFilter

from support import Area


class Events(Area):
    def setUp(self):
        self.events = self.scalekit.events

    def test_tell_what_happened(self):
        accounts = self.scalekit.connected_accounts
        made = accounts.create_connected_account("github", "told", CreateConnectedAccount())[0].connected_account
        events = self.events.list_events_paginated(page_size=5, filter=EventFilter(connected_account_id=made.id))[0].events
        self.assertEqual([each.type for each in events], ["connected_account.created"])
        self.assertEqual(events[0].data["identifier"], "told")

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.events.list_events_paginated(page_size=size, page_token=token)[0], "events"
        )
        self.assertEqual(len({each.id for each in found}), len(found))

    def test_not_found(self):
        nobody = EventFilter(connected_account_id="ca_99999999999999999")
        self.assertEqual(len(self.events.list_events_paginated(filter=nobody)[0].events), 0)

    def test_validation(self):
        nonsense = {"page_token": "nonsense"}
        error = self.fails(ScalekitBadRequestException, self.events.list_events_paginated, **nonsense)
        self.assertIn("page_token", error.message)

    def test_throttling(self):
        self.throttles("EventsService_ListEventsPaginated", self.events.list_events_paginated)
