"""Content of a file by VTK's reader, which is that of ParaView."""

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkIOHDF import vtkHDFReader


def vtk_frames(path):
    """Time and PolyData of each frame, as VTK's reader shows them; fails if it complains."""
    complaints = []
    reader = vtkHDFReader()
    reader.AddObserver("ErrorEvent", lambda *_: complaints.append("error"))
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    frames = []
    for k in range(reader.GetNumberOfSteps()):
        reader.SetStep(k)
        reader.Update()
        shown = vtkPolyData()
        shown.DeepCopy(reader.GetOutput())
        frames.append((reader.GetTimeValue(), shown))
    assert not complaints
    return frames


def points(shown):
    return vtk_to_numpy(shown.GetPoints().GetData())


def point_data(shown):
    data = shown.GetPointData()
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}
