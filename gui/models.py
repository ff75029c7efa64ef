"""All models of one window, and which update belongs to which."""

from __future__ import annotations

from gui.check_model import CheckModel
from gui.device_model import DeviceModel
from gui.node_model import NodeModel
from gui.run_model import RunModel
from remote.checks import CheckItem
from remote.updates import NodeSample, NodeUpdate, NoticeUpdate, Progress, RunState, Update
from trainer.spec import TrainingSpec


class Models:
    """Nodes, devices and the run that is shown."""

    def __init__(self) -> None:
        self.nodes = NodeModel()
        self.devices = DeviceModel()
        self.check = CheckModel()
        self.run: RunModel | None = None
        self._past_devices: DeviceModel | None = None

    @property
    def shown_devices(self) -> DeviceModel:
        """The devices of the run that is shown: of then, for a past run."""
        return self._past_devices if self._past_devices is not None else self.devices

    def apply(self, update: Update) -> None:
        """Hand ``update`` to the model that it is for."""
        if isinstance(update, (NodeUpdate, Progress)):
            self.nodes.apply(update)
        elif isinstance(update, NodeSample):
            self.nodes.apply(update)
            self.devices.add(update)
        elif isinstance(update, CheckItem):
            self.check.apply(update)
        elif self.run is not None and not isinstance(update, NoticeUpdate):
            self.run.apply(update)

    def show_run(
        self,
        run_id: str,
        training: TrainingSpec | None,
        started_at: float,
        state: RunState = "preparing",
    ) -> None:
        """Make ``run_id`` the run that updates go to."""
        self.run = RunModel(run_id, training=training, started_at=started_at, state=state)
        self._past_devices = None

    def forget_devices(self) -> None:
        """Other nodes are connected from now on; the run that is shown keeps its own devices."""
        if self.run is not None and self._past_devices is None:
            self._past_devices = self.devices
        self.devices = DeviceModel()

    def take_run_of(self, other: Models) -> None:
        """Show the run and the devices of ``other``, which were read from the history."""
        self.run = other.run
        self._past_devices = other.devices

    def state_key(self) -> tuple[object, ...]:
        """Changes when buttons may have to: node states, the run's state, its tasks."""
        run = self.run
        return (
            tuple(status.state for status in self.nodes.nodes.values()),
            self.check.running,
            (run.run_id, run.state, run.detail, len(run.tasks)) if run is not None else None,
        )
