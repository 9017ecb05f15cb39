from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.directories.directories_pb2 import (
    CreateDirectory,
    DirectoryProvider,
    DirectoryType,
    ListDirectoryGroupsRequest,
    ListDirectoryUsersRequest,
)

from support import ACME, NORDWIND, Area

OKTA = "dir_10000000000000601"
NO_DIRECTORY = "dir_99999999999999999"


class Directories(Area):
    def setUp(self):
        self.directories = self.scalekit.directory

    def test_life(self):
        scim = CreateDirectory(directory_type=DirectoryType.SCIM, directory_provider=DirectoryProvider.OKTA)
        organization = "org_10000000000000003"
        made = self.directories.create_directory(organization, scim)[0].directory
        self.assertTrue(made.enabled)
        self.assertTrue(made.HasField("stats"))
        self.assertEqual(self.directories.get_directory(organization, made.id)[0].directory.id, made.id)
        primary = self.directories.get_primary_directory_by_organization_id(organization)
        self.assertEqual(primary.id, made.id)

        error = self.fails(ScalekitBadRequestException, self.directories.delete_directory, organization, made.id)
        self.assertIn("directory is enabled", error.message)
        self.assertFalse(self.directories.disable_directory(organization, made.id)[0].enabled)
        self.directories.delete_directory(organization, made.id)
        self.not_found(self.directories.get_directory, organization, made.id)

    def test_switch(self):
        self.assertFalse(self.directories.disable_directory(ACME, OKTA)[0].enabled)
        answer = self.directories.enable_directory(ACME, OKTA)[0]
        self.assertTrue(answer.enabled)
        self.assertEqual(answer.error_message, "")

    def test_list(self):
        found = self.directories.list_directories(ACME)[0].directories
        self.assertEqual([each.id for each in found], [OKTA, "dir_10000000000000602"])

    def test_members(self):
        """The SDK's own lists of users and groups fail on any row, so the test uses an empty directory."""
        empty = "dir_10000000000000602"
        users = self.directories.list_directory_users(ACME, empty, page_size=5, include_detail=True)[0]
        self.assertEqual((users.total_size, users.next_page_token), (0, ""))
        groups = self.directories.list_directory_groups(ACME, empty, page_size=5)[0]
        self.assertEqual((groups.total_size, groups.next_page_token), (0, ""))

    def test_paging(self):
        service, execute = self.directories.directory_service, self.scalekit.core_client.grpc_exec
        where = {"organization_id": ACME, "directory_id": OKTA}
        users = self.pages(
            lambda size, token: execute(
                service.ListDirectoryUsers.with_call,
                ListDirectoryUsersRequest(**where, page_size=size, page_token=token, include_detail=True),
            )[0],
            "users",
        )
        ada = next(each for each in users if each.email == "ada@acme.example")
        self.assertEqual(ada.user_detail["department"], "Engineering")
        self.assertEqual([each.display_name for each in ada.groups], ["Engineering"])
        groups = self.pages(
            lambda size, token: execute(
                service.ListDirectoryGroups.with_call,
                ListDirectoryGroupsRequest(**where, page_size=size, page_token=token),
            )[0],
            "groups",
        )
        self.assertEqual({each.display_name for each in groups}, {"Engineering", "Finance"})

    def test_not_found(self):
        self.not_found(self.directories.get_directory, ACME, NO_DIRECTORY)
        self.not_found(self.directories.get_directory, NORDWIND, OKTA)

    def test_validation(self):
        self.refuses("organization_id", self.directories.list_directories, "acme")

    def test_conflict(self):
        """Enabling an enabled directory succeeds, and the response says so."""
        answer = self.directories.enable_directory(ACME, OKTA)[0]
        self.assertTrue(answer.enabled)
        self.assertIn("already enabled", answer.error_message)

    def test_throttling(self):
        self.throttles("DirectoryService_ListDirectories", self.directories.list_directories, ACME)
